// Package utils takes the place of gitleaks' file of this name when its generator of rules is built. It writes down the cases of each
// rule and doesn't judge them.
package utils

import (
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/zricethezav/gitleaks/v8/config"
)

var cases = func() *json.Encoder {
	f, err := os.Create(os.Getenv("GITLEAKS_CASES"))
	if err != nil {
		panic(err)
	}
	return json.NewEncoder(f)
}()

func write(rule, path, text string, secret bool) {
	err := cases.Encode(map[string]any{"rule": rule, "path": path, "text": []byte(text), "secret": secret})
	if err != nil {
		panic(err)
	}
}

func Validate(rule config.Rule, positive, negative []string) *config.Rule {
	for _, text := range slices.Sorted(slices.Values(positive)) { // gitleaks keeps some in a map
		write(rule.RuleID, "", text, true)
	}
	for _, text := range slices.Sorted(slices.Values(negative)) {
		write(rule.RuleID, "", text, false)
	}
	return &rule
}

func ValidateWithPaths(rule config.Rule, positive, negative map[string]string) *config.Rule {
	for _, path := range slices.Sorted(maps.Keys(positive)) {
		write(rule.RuleID, path, positive[path], true)
	}
	for _, path := range slices.Sorted(maps.Keys(negative)) {
		write(rule.RuleID, path, negative[path], false)
	}
	return &rule
}
