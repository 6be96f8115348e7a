package memfs

import "testing"

func TestControlFilesAreRecognisedInEverySpelling(t *testing.T) {
	for path, want := range map[string]bool{
		"/.git":                         true,
		"/.git/config":                  true,
		"/a/b/.git/hooks/post-checkout": true,
		"/.GIT/config":                  true,
		"/.Git./config":                 true,
		"/.git ./config":                true,
		"/.git::$INDEX_ALLOCATION/x":    true,
		"/.g\u200cit/config":            true,
		"/.\ufeffgit":                   true,
		"/GIT~1/config":                 true,
		"/.\u017fvn/x":                  true, // a long s folds to s
		"/.hg/hgrc":                     true,
		"/.svn/x":                       true,
		"/.jj/x":                        true,
		"/.envrc":                       true,
		"/x/.ENVRC":                     true,
		"/.vscode/tasks.json":           true,
		"/.claude/settings.json":        true,
		"/.mcp.json":                    true,
		"/":                             false,
		"/git/config":                   false,
		"/.gitignore":                   false,
		"/.github/notes.md":             true,
		"/.bashrc":                      true,
		"/home/.ZshRC":                  true,
		"/.profile":                     true,
		"/.gitattributes":               true,
		"/.gitmodules":                  true,
		"/.gitconfig":                   true,
		"/Makefile":                     true,
		"/sub/makefile ":                true,
		"/ma\u212aefile":                true, // the sign for kelvin folds to k
		"/package.json":                 true,
		"/.npmrc":                       true,
		"/.idea/x":                      true,
		"/.husky/pre-commit":            true,
		"/package.json.md":              false,
		"/profile":                      false,
		"/notes.git/a.md":               false,
		"/a.git":                        false,
		"/.notes.md":                    false,
		"/claude/settings.json":         false,
		"/envrc":                        false,
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Control(); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
