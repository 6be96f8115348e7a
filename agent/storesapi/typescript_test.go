package storesapi

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"time"

	"github.com/memend/memend/agent/testdata/npmtest"
)

// The official TypeScript SDK, of which nothing is set but the base URL and a key,
// and its worker that keeps a store's memories in a folder.
func TestTheTypeScriptSDKWorksUnchanged(t *testing.T) {
	t.Parallel()
	folder := npmtest.SDK.Folder(t)
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", filepath.Join("testdata", "sdk.mjs"), folder, w.http.URL, t.TempDir())
	node.WaitDelay = time.Second
	out, err := node.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	got := reply{w: w, raw: out}
	if err := json.Unmarshal(out, &got.object); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for path, want := range map[string]any{
		"updated.metadata": object{"user": "u1"}, "full.content": "one — ☃ 🦀\r\n", "full.content_sha256": hashOf("one — ☃ 🦀\r\n"),
		"taken.class": "ConflictError", "taken.status": 409, "taken.id": true, "taken.error.error.type": "memory_path_conflict_error", "taken.error.error.conflicting_path": "/a.md",
		"changed.content_sha256": hashOf("two"), "stale.class": "ConflictError", "stale.error.error.type": "memory_precondition_failed_error",
		"head.class": "BadRequestError", "head.error.error.type": "invalid_request_error",
		"children": []string{"/a.md", "/d/"}, "memories": 26, "versions": []string{"modified", "created"}, "none": []string{},
		"redacted.content": nil, "redacted.path": nil, "redacted.redacted_by.type": "api_actor", "deleted.type": "memory_deleted",
		"gone.class": "NotFoundError", "stores": []string{"From TypeScript"},
		"downloaded": 25, "same": "edited here", "pulled": "edited there",
		"synced":         object{"/b.md": "edited here", "/new.md": "made here", "/d/01.md": "edited there"},
		"readonly.class": "BadRequestError", "end.type": "memory_store_deleted", "redacted.redacted_by.api_key_id": keyID("typescript"),
	} {
		same(w, path, got.at(strings.Split(path, ".")...), want)
	}
	if got.str("archived", "archived_at") == "" {
		t.Error("it is not archived")
	}
}
