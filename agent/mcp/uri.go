package mcp

import (
	"net/url"
	"path"
	"strings"

	"github.com/memend/memend/memfs"
)

// uriStart is what the URI of a memory begins with; the path as the memory tool
// writes it follows.
const uriStart = "memend://"

// template is how a client makes a URI of a path below /memories.
const template = uriStart + "/memories/{+path}"

// uriOf is the one URI that we write for a memory.
func uriOf(p memfs.Path) string {
	segments := strings.Split(p.Tool(), "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return uriStart + strings.Join(segments, "/")
}

// pathOf reads a URI of a memory, however a client wrote it: it may leave signs as
// they are that we escape, and escape others.
func pathOf(uri string) (memfs.Path, error) {
	rest, ok := strings.CutPrefix(uri, uriStart)
	if !ok {
		return memfs.Path{}, &memfs.PathError{Path: uri, Err: memfs.ErrOutsideMemories}
	}
	plain, err := url.PathUnescape(rest)
	if err != nil {
		return memfs.Path{}, &memfs.PathError{Path: uri, Err: memfs.ErrNotExist}
	}
	return memfs.ParseToolPath(plain)
}

// mimeType goes by the name, as a client would have to.
func mimeType(p memfs.Path, binary bool) string {
	if binary {
		return "application/octet-stream"
	}
	if t := mimeTypes[strings.ToLower(path.Ext(p.Base()))]; t != "" {
		return t
	}
	return "text/plain"
}

var mimeTypes = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".json": "application/json", ".jsonl": "application/jsonl",
	".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".xml": "application/xml",
	".html": "text/html", ".csv": "text/csv",
}
