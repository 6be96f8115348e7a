package places

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// code finds the memories of Copilot in VS Code, and collects the projects that were opened there.
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

// workspace returns the directory of a workspace, or the one with the file that describes it; "" if it is on another
// machine or unknown.
func (f *finder) workspace(storage string) string {
	var about struct{ Folder, Workspace, Configuration string }
	if json.Unmarshal(f.file(storage, "workspace.json"), &about) != nil {
		return "" // VS Code's own folder may be missing
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

// localPath returns the path on this machine that a URI names, or "".
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
