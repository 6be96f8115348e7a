package storesapi

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// answer is the response to a request.
type answer struct {
	id     string // of the request
	body   any
	failed *failure
	cause  error // of the failure, for the log
}

func newRequestID() string {
	var b [15]byte
	_, _ = rand.Read(b[:]) // never fails
	return "req_" + idText.EncodeToString(b[:])
}

func (a *answer) status() int {
	if a.failed != nil {
		return a.failed.status
	}
	return http.StatusOK
}

type errorJSON struct {
	Type      string      `json:"type"`
	Error     problemJSON `json:"error"`
	RequestID string      `json:"request_id"`
}

type problemJSON struct {
	Type            string  `json:"type"`
	Message         string  `json:"message"`
	ConflictingID   *string `json:"conflicting_memory_id,omitempty"`
	ConflictingPath *string `json:"conflicting_path,omitempty"`
}

func (f *failure) json(id string) errorJSON {
	e := errorJSON{Type: "error", Error: problemJSON{Type: f.kind, Message: f.message}, RequestID: id}
	if f.blocker != nil {
		blocker, at := string(f.blocker.Memory), f.blocker.Path.String()
		e.Error.ConflictingID, e.Error.ConflictingPath = &blocker, &at
	}
	return e
}

// writeTime is how long a client may take to receive a response.
const writeTime = 60 * time.Second

func (a *answer) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Request-Id", a.id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	body := a.body
	if a.failed != nil {
		body = a.failed.json(a.id)
		if a.failed.status == http.StatusConflict || a.failed.final {
			h.Set("X-Should-Retry", "false")
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		panic(err) // only for types that JSON can't represent
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime)) // where deadlines are supported
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(a.status())
	_, _ = w.Write(b.Bytes()) // if the client is gone, the trail has the change
}
