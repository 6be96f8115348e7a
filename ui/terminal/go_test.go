package terminal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoroutines_AreStartedByGo checks that the packages of the TUI start goroutines only with Go: a
// panic in another goroutine would leave the terminal in raw mode.
func TestGoroutines_AreStartedByGo(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(filepath.Dir(name), "test") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return err
		}
		seen++
		if own, err := filepath.Rel("../terminal", name); err == nil && !strings.HasPrefix(own, "..") {
			return nil
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: start it by terminal.Go", files.Position(g.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatalf("%d files, %v", seen, err)
	}
}

func TestCaught_PanicsWithoutATerminal(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() != "fell" {
			t.Error("it is swallowed")
		}
	}()
	Caught("fell", nil)
}
