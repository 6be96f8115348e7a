// Package secrets takes the place of gitleaks' file of this name, which draws other secrets in each run.
package secrets

import (
	"os"
	"strconv"

	"github.com/lucasjones/reggen"
)

var seed = func() int64 {
	n, err := strconv.ParseUint(os.Getenv("GITLEAKS_SEED"), 10, 64)
	if err != nil {
		panic(err)
	}
	return int64(n)
}()

func NewSecret(regex string) string {
	g, err := reggen.NewGenerator(regex)
	if err != nil {
		panic(err)
	}
	g.SetSeed(seed)
	seed++
	return g.Generate(1)
}
