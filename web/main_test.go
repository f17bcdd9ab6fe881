package web

import (
	"os"
	"testing"

	"agentleague/web/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Main(m)) }
