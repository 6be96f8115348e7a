package places

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// code finds what Copilot keeps in VS Code, and notes the projects that were opened
// there.
func (f *finder) code() {
	for _, user := range f.roots.Code {
		f.add(Place{Kind: Copilot, Folder: f.folder(user, "globalStorage", "github.copilot-chat", "memory-tool", "memories"), Shared: true})
		for _, workspace := range f.folders(user, "workspaceStorage") {
			project := f.workspace(workspace.folder)
			f.project(project)
			f.add(Place{Kind: Copilot, Folder: f.folder(workspace.folder, "GitHub.copilot-chat", "memory-tool", "memories"), Project: project})
		}
	}
}

// workspace is the directory that a workspace is of, or in which the file that
// describes it lies; "" when that is on another machine, or unknown.
func (f *finder) workspace(storage string) string {
	var about struct{ Folder, Workspace, Configuration string }
	if json.Unmarshal(f.file(storage, "workspace.json"), &about) != nil {
		return "" // it is VS Code's own: nothing is amiss where there is none
	}
	if about.Folder != "" {
		return localPath(about.Folder)
	}
	for _, file := range []string{about.Workspace, about.Configuration} {
		if path := localPath(file); path != "" {
			return filepath.Dir(path)
		}
	}
	return ""
}

// localPath is the path on this machine that a URI names; "" when it names none.
func localPath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" || strings.ContainsRune(u.Path, 0) {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}
