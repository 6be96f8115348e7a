package engine_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/tables"
)

// A loop that does not ask for its error takes the rows before the error for all of them.
func TestEveryLoopOverRows_AsksForItsError(t *testing.T) {
	t.Parallel()
	loops := 0
	err := filepath.WalkDir("..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			asked := map[string]bool{}
			var over []ast.Expr
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.RangeStmt:
					if call, ok := n.X.(*ast.CallExpr); ok && n.Key == nil {
						if each, ok := call.Fun.(*ast.SelectorExpr); ok && each.Sel.Name == "Each" {
							over = append(over, each.X)
						}
					}
				case *ast.SelectorExpr:
					if rows, ok := n.X.(*ast.Ident); ok && n.Sel.Name == "Err" {
						asked[rows.Name] = true
					}
				}
				return true
			})
			for _, rows := range over {
				loops++
				if id, ok := rows.(*ast.Ident); !ok || !asked[id.Name] {
					t.Errorf("%v: nobody asks for the error of these rows", files.Position(rows.Pos()))
				}
			}
		}
		return nil
	})
	if err != nil || loops < 30 {
		t.Errorf("%d loops, %v", loops, err)
	}
}

func TestColumns_AreScannedIntoWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := db.On(t.Context(), w.trail.DB.W)
	p, err := memfs.ParsePath("old")
	must(w, err)
	at, hash, store, memory, version := time.Now(), versions.Sum([]byte("old")), versions.StoreID("old"), versions.MemoryID("old"), versions.VersionID("old")
	scan := func(columns string) error {
		return q.Row(`SELECT `+columns).Scan(tables.PathTo(&p), tables.TimeTo(&at), tables.HashTo(&hash), tables.IDTo(&store), tables.IDTo(&memory), tables.IDTo(&version))
	}
	const id = `x'000000000000000000000000000000'`
	if err := scan(`'a/b.md',1000000,x'01',` + id + `,` + id + `,x'61'`); err != nil {
		t.Fatal(err)
	}
	if p.Tool() != "/memories/a/b.md" || !at.Equal(time.Unix(1, 0)) || hash != (versions.Hash{1}) || store != "memstore_"+versions.StoreID(strings.Repeat("a", 24)) || memory != "mem_"+versions.MemoryID(strings.Repeat("a", 24)) || version != "memver_a" {
		t.Errorf("%v %v %v %v %v %v", p, at, hash, store, memory, version)
	}
	if err := scan(`NULL,NULL,NULL,NULL,NULL,NULL`); err != nil {
		t.Fatal(err)
	}
	if !p.IsRoot() || !at.IsZero() || hash != (versions.Hash{}) || store != "" || memory != "" || version != "" {
		t.Errorf("NULL: %v %v %v %v %v %v", p, at, hash, store, memory, version)
	}
	for _, columns := range []string{`'../a',1,x'',x'',x'',x''`, `'a','soon',x'',x'',x'',x''`} {
		if err := scan(columns); !errors.Is(err, versions.ErrDamaged) {
			t.Errorf("%s: %v", columns, err)
		}
	}
	if err := scan(`'../a',1,x'',x'',x'',x''`); strings.Contains(err.Error(), "sql: ") {
		t.Errorf("an invalid path has its own words: %v", err)
	}
}
