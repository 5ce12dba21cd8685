package gogen

// Usage is what --help prints about the options.
const Usage = `Options, as name=value, separated by commas:

  features=events|codes|services   parts of the kits to generate (repeatable; default: all)
  http=gateway                     services have the HTTP routes of protoc-gen-grpc-gateway's code
  package_suffix=SUFFIX            what a kit's package name ends with (default: kit)
  config=PATH                      skaffold-gen.yaml

and those of protoc-gen-go: paths, module, M<file>=<package>, default_api_level.
`
