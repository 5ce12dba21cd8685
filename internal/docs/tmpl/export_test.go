package tmpl

// Limit lowers what an execution can use up.
func (t *Template) Limit(steps, output int64) {
	t.limit = limits{steps: steps, depth: 100, output: output}
}
