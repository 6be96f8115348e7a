package storesapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

func TestAttachedStoresAreAllThatClientsSee(t *testing.T) {
	t.Parallel()
	ids := map[string]versions.StoreID{}
	w := newWorld(t, func(o *Options) {
		for _, name := range []string{"team", "wiki", "private"} {
			info, err := o.Trail.MakeStore(t.Context(), versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "me"}}, versions.NewStore{Title: name})
			if err != nil {
				t.Fatal(err)
			}
			ids[name] = info.ID
		}
		o.Attached = []versions.Attachment{{Store: ids["team"]}, {Store: ids["wiki"], Access: versions.ReadOnly}}
	})
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, w.http.URL+"/v1/memory_stores"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var b strings.Builder
		if err := res.Write(&b); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, b.String()
	}
	team, wiki, private := "/"+string(ids["team"]), "/"+string(ids["wiki"]), "/"+string(ids["private"])
	if _, list := ask("GET", "", ""); !strings.Contains(list, team[1:]) || !strings.Contains(list, wiki[1:]) || strings.Contains(list, private[1:]) {
		t.Errorf("listed: %s", list)
	}
	const memory = `{"path":"/a.md","content":"one"}`
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", team + "/memories", memory, 200},
		{"GET", team + "/memories", "", 200},
		{"GET", wiki + "/memories", "", 200},
		{"GET", wiki, "", 200},
		{"POST", wiki + "/memories", memory, 403},
		{"POST", wiki, `{"name":"mine"}`, 403},
		{"POST", wiki + "/archive", "", 403},
		{"DELETE", wiki, "", 403},
		{"POST", "", `{"name":"new"}`, 403},
		{"GET", private, "", 404},
		{"GET", private + "/memories", "", 404},
		{"POST", private + "/memories", memory, 404},
		{"DELETE", private, "", 404},
	} {
		if got, body := ask(c.method, c.path, c.body); got != c.want {
			t.Errorf("%s %s: %d, want %d: %s", c.method, c.path, got, c.want, body)
		}
	}
}
