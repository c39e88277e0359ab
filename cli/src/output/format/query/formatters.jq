# Formatters of jq 1.7 that jaq lacks. Splitting and joining replaces a text without a regular expression.
def replace_text($from; $to): split($from) | join($to);
def format_row(formatter; name):
  if type != "array" then error("\(type) (\(tojson)) cannot be formatted as \(name); only an array can") else . end
  | map(
      if type == "string" then formatter
      elif . == null then ""
      elif type == "number" or type == "boolean" then tojson
      else error("\(type) (\(tojson)) is not valid in a \(name) row") end);
def @csv: format_row("\"" + replace_text("\""; "\"\"") + "\""; "CSV") | join(",");
def @tsv:
  format_row(
    replace_text("\\"; "\\\\") | replace_text("\t"; "\\t") | replace_text("\n"; "\\n") | replace_text("\r"; "\\r");
    "TSV")
  | join("\t");
