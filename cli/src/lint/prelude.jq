# The items of pages and forms, one after the other. Filters of rules can use what is defined here.
.[] | .file as $file | .items[] | .kind as $__kind | .value
| def page: $__kind == "page";
  def slot: $__kind == "slot";
  def form: $__kind == "form";
  # The texts of an item. Those of the slots of a page are texts of the slots.
  def texts: if page then (keys_unsorted - ["slots"])[] as $key | .[$key] else . end | .. | strings;
  # The hosts of the links in a text. A browser needs no `//`, and reads on to the last `@`, where markup may end the link before it: then both
  # hosts count. A host cannot begin with an encoded `/`.
  def __web: "(?i)\\bhttps?:";
  def __host: "(?:\\[[0-9a-f:.]+\\]|[^\\s/?#\"'<>()\\[\\]\\\\]+)";
  def link_hosts:
    # Without a slash, only what looks like a host is one.
    (scan(__web + "[/\\\\]+" + __host), (scan(__web + __host) | select(test("[^.:][.。．｡][^.]|[%\\[]"))),
      scan(__web + "[/\\\\]*[^\\s/?#]*@" + __host))
    | sub("^[^:]*:[/\\\\]*"; "") | sub("^.*@"; "") | sub(":[0-9]*$"; "") | ascii_downcase
    | select(startswith("%2f") | not);
  def __text: if type == "string" then . else tojson end | .[:300];
  # The values of an item that break a rule.
  def __rule($rule; selects; values; must):
    limit(100; try (
      if first(selects) then
        path(values) as $path
        | getpath($path)
        | try (if all(must; .) then empty else {rule: $rule, $path, error: null} end)
          catch {rule: $rule, $path, error: __text}
      else empty end)
    catch {rule: $rule, path: [], error: __text});
