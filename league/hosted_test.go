package league

import "testing"

func TestHostedAgentsSignTheAddressOfTheirManager(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, endpoint, manager, key string
		want                         bool
	}{
		{"a built-in player", "http://localhost:8000/p/house-1/mcp", "http://localhost:8000/mcp", "k", true},
		{"a seat", "https://lab.example:443/s/abc/mcp", "https://lab.example:443/leagues/spring/mcp", "k", true},
		{"another port", "http://localhost:8101/mcp", "http://localhost:8000/mcp", "k", false},
		{"a port that begins alike", "http://localhost:80001/mcp", "http://localhost:8000/mcp", "k", false},
		{"another machine", "http://192.0.2.1:8000/mcp", "http://localhost:8000/mcp", "k", false},
		{"another scheme", "https://localhost:8000/mcp", "http://localhost:8000/mcp", "k", false},
		{"a foreign agent", "http://localhost:8000/p/house-1/mcp", "http://localhost:8000/mcp", "", false},
	} {
		r := Registered{Endpoint: tt.endpoint, Key: tt.key, Welcome: &Welcomed{Manager: tt.manager}}
		if got := r.Hosted(); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	if (Registered{Key: "k"}).Hosted() {
		t.Error("an agent without a welcome is hosted")
	}
}
