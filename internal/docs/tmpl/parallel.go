package tmpl

import (
	"text/template"
	"text/template/parse"
)

func independentLoop(*template.Template, template.FuncMap) *parse.RangeNode { return nil }

func (t *Template) executeParallel(data any, b *budget) ([][]byte, error) { panic("unreachable") }
