package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTemplate makes memories readable. Calling it again notifies every client that the list of
// them has changed: the SDK has no other way to do that.
func (s *Server) addTemplate() {
	s.sdk.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: template, Name: "memory", Title: "A memory", MIMEType: "text/markdown",
		Description: "A memory by its path below /memories, such as notes/plan.md",
	}, s.readResource)
}

// pageSize is the number of resources on a page.
const pageSize = 500

// listed is the tree of a store after a change, kept while a client reads it page by page.
type listed struct {
	change  int64
	entries []versions.Entry
}

// list answers resources/list from the engine: there may be too many memories to register each
// with the SDK.
func (s *Server) list(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	places, err := s.cache.open(ctx)
	if err != nil {
		return nil, errors.New(s.plainly(err, versions.By{}))
	}
	var store int
	var after memfs.Path
	if req.Params != nil && req.Params.Cursor != "" {
		if store, after, err = readCursor(req.Params.Cursor); err != nil || store >= len(places) {
			return nil, invalid("the cursor is not from this server")
		}
	}
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	out.CacheScope = "private"
	for ; store < len(places); store++ {
		entries, err := s.memories(ctx, places[store])
		if err != nil {
			return nil, errors.New(s.plainly(err, versions.By{}))
		}
		for _, e := range entries {
			if strings.Compare(e.Path.String(), after.String()) <= 0 || e.Kind != versions.Memory {
				continue
			}
			if len(out.Resources) == pageSize {
				out.NextCursor = cursor(store, after)
				return out, nil
			}
			out.Resources = append(out.Resources, resource(places[store].outside(e.Path), e))
			after = e.Path
		}
		s.forget(places[store])
		after = memfs.Root
	}
	return out, nil
}

func resource(p memfs.Path, e versions.Entry) *mcp.Resource {
	return &mcp.Resource{URI: uriOf(p), Name: strings.TrimPrefix(p.Tool(), memfs.Root.Tool()+"/"), MIMEType: mimeType(p, e.Binary), Size: e.Size,
		Annotations: &mcp.Annotations{LastModified: stamp(e.Time)}}
}

// memories returns the memories of a store, in byte order of their paths.
func (s *Server) memories(ctx context.Context, at place) ([]versions.Entry, error) {
	last, err := at.store.LastChange(ctx)
	if err != nil {
		return nil, err
	}
	id := at.store.Info().ID
	s.mu.Lock()
	kept := s.kept[id]
	s.mu.Unlock()
	if kept.entries != nil && kept.change == last {
		return kept.entries, nil
	}
	entries, err := at.store.Tree(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.kept[id] = listed{last, entries}
	s.mu.Unlock()
	return entries, nil
}

// forget drops the tree of a store after its last page.
func (s *Server) forget(at place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, at.store.Info().ID)
}

func cursor(store int, after memfs.Path) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d%s", store, after.String()))
}

func readCursor(s string) (store int, after memfs.Path, err error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return 0, memfs.Path{}, err
	}
	number, path, _ := strings.Cut(string(b), "/")
	n, err := strconv.ParseUint(number, 10, 16)
	if err == nil {
		after, err = memfs.ParsePath(path)
	}
	return int(n), after, err
}

func invalid(why string) error { return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why} }

// readResource returns a whole memory, as text or as bytes.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	ctx, done := s.limit(ctx)
	defer done()
	outside, err := pathOf(req.Params.URI)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	caller := s.caller(req.Session)
	by := caller.by(req.ClientInfo(), req.Params.Meta, req.Extra)
	_, places, err := caller.memory(ctx, by)
	if err != nil {
		return nil, errors.New(s.plainly(err, by))
	}
	at, p, err := find(places, outside)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	t, err := read(ctx, at.store, by, p, maxRead)
	switch long := (*longError)(nil); {
	case errors.As(err, &long):
		return nil, invalid((&refusal{outside.Tool(), long}).Error())
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder):
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	case err != nil:
		modelErr, ok := refused(outside.Tool(), err)
		if ok {
			return nil, invalid(modelErr.Error())
		}
		return nil, errors.New(s.plainly(err, by))
	}
	binary := !utf8.Valid(t.content)
	c := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: mimeType(outside, binary), Text: string(t.content)}
	if binary || len(t.content) == 0 { // the SDK would leave out an empty text
		c.Text, c.Blob = "", t.content
	}
	c.Meta = mcp.Meta{"dev.memend/content_sha256": t.sha.String()}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}

// maxCompletions is the protocol's limit for one answer.
const maxCompletions = 100

// complete returns completions of a path in the template.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if req.Params.Ref.Type != "ref/resource" || req.Params.Ref.URI != template || req.Params.Argument.Name != "path" {
		return out, nil
	}
	ctx, done := s.limit(ctx)
	defer done()
	places, err := s.cache.open(ctx)
	if err != nil {
		return nil, errors.New(s.plainly(err, versions.By{}))
	}
	for _, at := range places {
		entries, err := at.store.Tree(ctx)
		if err != nil {
			return nil, errors.New(s.plainly(err, versions.By{}))
		}
		for _, e := range entries {
			path := strings.TrimPrefix(at.outside(e.Path).Tool(), memfs.Root.Tool()+"/")
			if e.Kind == versions.Memory && strings.HasPrefix(path, req.Params.Argument.Value) {
				out.Completion.Values = append(out.Completion.Values, path)
			}
		}
	}
	slices.Sort(out.Completion.Values)
	if out.Completion.Total = len(out.Completion.Values); out.Completion.Total > maxCompletions {
		out.Completion.Values, out.Completion.HasMore = out.Completion.Values[:maxCompletions], true
	}
	return out, nil
}
