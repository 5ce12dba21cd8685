package config

import (
	"fmt"
	"os"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Load reads the file at path and checks it against the model. Its errors have a
// line each, which says where in the file something is wrong.
func Load(path string, model *api.Model) (*Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("option config: %w", err)
	}
	return Parse(path, text, model)
}

// Parse is Load of a file that is read already.
func Parse(path string, text []byte, model *api.Model) (*Config, error) {
	d, err := open(path, text)
	if err != nil {
		return nil, err
	}
	cfg, err := d.decode()
	if err != nil {
		return nil, err
	}
	c := &checker{document: d, model: model}
	c.config(cfg)
	if err := d.err(); err != nil {
		return nil, err
	}
	return cfg, nil
}
