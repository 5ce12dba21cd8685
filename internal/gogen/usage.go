package gogen

// Usage is what --help prints about the options.
const Usage = `Options, as name=value, separated by commas:

  features=events|codes   parts of the kits to generate (repeatable; default: all)
  package_suffix=SUFFIX   what a kit's package name ends with (default: kit)
  config=PATH             skaffold-gen.yaml

and those of protoc-gen-go: paths, module, M<file>=<package>, default_api_level.
`
