package synth

import "embed"

//go:embed testdata/*.tmpl
var templates embed.FS

// Template returns one of the templates that go with the requests:
//
//   - "everything" prints every field and method of the model,
//   - "functions" calls every function whose result is repeatable,
//   - "versions" calls those that sprig's versions answer differently,
//   - "reference" is a page such as projects write for themselves.
func Template(name string) []byte {
	text, err := templates.ReadFile("testdata/" + name + ".tmpl")
	if err != nil {
		panic("synth: no template " + name)
	}
	return text
}
