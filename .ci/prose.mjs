// Spelling and grammar of the Markdown files that are named. Words of ours are in words.txt.
import { readFileSync } from 'node:fs';
import { Dialect, LocalLinter } from 'harper.js';
import { binary } from 'harper.js/binary';

// Matters of taste in which the project has chosen otherwise, and rules that mistake names and units for words.
const off = [
  'AnA', 'CapitalizePersonalPronouns', 'CompoundNouns', 'Dashes', 'DiscourseMarkers', 'ExpandAlloc', 'ExpandConfiguration', 'ExpandControl', 'ExpandMemoryShorthands', 'ExpandMinimum',
  'ExpandStandardInputAndOutput', 'ExpandTimeShorthands', 'NumericRangeEnDash', 'OrthographicConsistency', 'ItsContraction', 'LetsConfusion', 'MassNouns', 'MergeWords', 'MissingTo', 'Nobody', 'OxfordComma',
  'PhrasalVerbAsCompoundNoun', 'PronounInflectionBe', 'MissingPreposition', 'PronounKnew', 'SentenceCapitalization', 'SingleBe', 'Spaces', 'SplitWords', 'ThatThan', 'UseTitleCase',
];

const linter = new LocalLinter({ binary, dialect: Dialect.American });
const rules = await linter.getDefaultLintConfig();
await linter.setLintConfig({ ...rules, ...Object.fromEntries(off.map((rule) => [rule, false])) });
await linter.importWords(readFileSync(new URL('words.txt', import.meta.url), 'utf8').split('\n').filter(Boolean));

let found = 0;
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8');
  const characters = Array.from(text);
  for (const [rule, lints] of Object.entries(await linter.organizedLints(text, { language: 'markdown' }))) {
    for (const lint of lints) {
      const line = characters.slice(0, lint.span().start).filter((it) => it === '\n').length + 1;
      const better = lint.suggestions().map((it) => it.get_replacement_text()).filter(Boolean).slice(0, 3);
      console.log(`${file}:${line}: ${lint.get_problem_text()}: ${lint.message()} (${rule}${better.length ? `; ${better.join(', ')}` : ''})`);
      found += 1;
    }
  }
}
console.log(`${found} findings in ${process.argv.length - 2} files`);
process.exitCode = found ? 1 : 0;
