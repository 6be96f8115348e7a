package mcp

import (
	"net/url"
	"path"
	"strings"

	"github.com/memend/memend/memfs"
)

// uriStart is the beginning of a memory's URI; its path as in the memory tool follows.
const uriStart = "memend://"

// template is the URI template for a path below /memories.
const template = uriStart + "/memories/{+path}"

// uriOf returns the canonical URI of a memory.
func uriOf(p memfs.Path) string {
	segments := strings.Split(p.Tool(), "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return uriStart + strings.Join(segments, "/")
}

// pathOf parses a URI of a memory. Clients may leave signs unescaped that we escape, and escape
// others.
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

// mimeType returns the type by the name's ending, as a client would have to guess it.
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
