package memfs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// An error without a class would stop what it should not.
func TestClass_EveryErrorOfAFolderHasOne(t *testing.T) {
	t.Parallel()
	inPaths := map[string]bool{"ErrOutsideMemories": true, "ErrEscape": true, "ErrControlInPath": true, "ErrNotUTF8Path": true} // of a PathError
	classified := map[string]bool{}
	f, err := parser.ParseFile(token.NewFileSet(), "class.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "Err") {
			classified[id.Name] = true
		}
		return true
	})
	for _, name := range []string{"errors.go", "control.go", "path.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok || vars.Tok != token.VAR {
				continue
			}
			for _, spec := range vars.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					if strings.HasPrefix(id.Name, "Err") && classified[id.Name] == inPaths[id.Name] {
						t.Errorf("%s: in the table: %v", id.Name, classified[id.Name])
					}
				}
			}
		}
	}
}

type foreign struct{ error }

func (foreign) Class() Class { return Blocked }

func TestClass_OfWrappedErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want Class
	}{
		{nil, 0},
		{errors.New("other"), 0},
		{fail("read", Root, fs.ErrNotExist), Absent},
		{fmt.Errorf("write: %w", &OpError{"write", Root, ErrNoSpace}), Disk},
		{&UnnamedError{}, Blocked},
		{errors.Join(ErrTooBig, ErrNoPermission), Busy | Denied},
		{fmt.Errorf("step: %w", foreign{errors.New("foreign")}), Blocked},
	} {
		if got := classOf(c.err); got != c.want {
			t.Errorf("%v: class %b, not %b", c.err, got, c.want)
		}
		for class := Absent; class <= Invalid; class <<= 1 {
			ignored := c.err == nil || c.want&class != 0
			if Is(c.err, class) != (c.want&class != 0) || (Ignore(c.err, class) == nil) != ignored {
				t.Errorf("%v, class %b: Is %v, Ignore %v", c.err, class, Is(c.err, class), Ignore(c.err, class))
			}
		}
	}
}
