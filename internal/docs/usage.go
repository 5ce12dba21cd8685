package docs

// Usage is what --help prints about the options.
const Usage = `Options, as name=value, separated by commas:

  template=markdown|html|json|docbook|PATH
                       a built-in format, or your own template
  output=NAME          file to write; {package}, {dir} and {file} name several
  include=PATTERN      show only these files (repeatable; *, **, ?, [a-z])
  exclude=PATTERN      leave these files out (repeatable)
  layout=single|package|file            one page for all, per package, per file
  order=name|source    by name, or as the .proto files have it
  source_url=URL       links to the source; {path}, {line} and {end} in it
  title=TEXT           title of the built-in formats' pages
  flavor=gfm|mdx|hugo  which Markdown
  front_matter=KEY:VALUE                an entry of front matter (repeatable)
  against=PATH         an image of an earlier release: mark what has changed
  http_address=URL     where the examples' curl commands call
  grpc_address=ADDRESS where their grpcurl commands call
  internal_comments=true|false          show the parts in (-- --)
  warnings=off|on|error                 tell of problems in comments
  warn_about=KIND      missing-comment, comment, dead-link, duplicate-anchor
                       (repeatable; without it all)
  config=PATH          skaffold-gen.yaml: phases, classes and suggestions of codes
  allow=SOURCE         let a template read the clock, environment, network or
                       random numbers (repeatable, or joined with +)
  camel_case_fields=true|false          .Name of fields in camel case

The options of protoc-gen-doc work too, with the same meaning:

  TYPE|TEMPLATE,OUTPUT[,default|source_relative][:EXCLUDE,...][:camel_case_fields=true]
`
