// Command types checks the types of this module's packages and tests for the system that GOOS names. It
// compiles nothing, while go vet compiles every dependency, and reads of dependencies only the declarations.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(patterns []string) error {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	others := strings.Fields(string(out)) // the folders of what is not ours
	all, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if slices.ContainsFunc(others, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
				declareOnly(f)
			}
			return f, err
		},
	}, patterns...)
	if err != nil {
		return err
	}
	var wrong []string
	for _, p := range all {
		for _, err := range p.Errors {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) > 0 || len(all) == 0 {
		return fmt.Errorf("%d packages\n%s", len(all), strings.Join(wrong, "\n"))
	}
	return nil
}

// declareOnly takes away the bodies of functions. Those with type parameters must have one.
func declareOnly(f *ast.File) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Type.TypeParams == nil {
			d.Body = nil
		}
	}
}
