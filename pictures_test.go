package agentleague_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"testing"
)

// pictures are the drawings in doc/diagrams, each of the first Mermaid diagram of a kind in a document.
var pictures = []struct {
	file, of, kind string
	draw           func(mermaid string) (image.Image, error)
}{
	{"doc/diagrams/architecture.png", "ARCHITECTURE.md", "flowchart", drawFlowchart},
	{"doc/diagrams/message-flow.png", "doc/protocol-spec.md", "sequenceDiagram", drawSequence},
}

// The pictures show what the diagrams in the documents say.
//
//	go test . -run TestPicturesAreOfTheDiagrams -update
func TestPicturesAreOfTheDiagrams(t *testing.T) {
	t.Parallel()
	for _, p := range pictures {
		want, err := p.draw(diagrams(t, p.kind)[p.of][0])
		if err != nil {
			t.Fatalf("%s: %v", p.of, err)
		}
		if *update {
			var b bytes.Buffer
			if err := png.Encode(&b, want); err != nil {
				t.Fatal(err)
			}
			write(t, p.file, b.String())
		}
		got, err := readPicture(p.file)
		if err == nil {
			err = samePicture(got, want)
		}
		if err != nil {
			t.Errorf("%s is not the first %s of %s: %v (make doc writes it)", p.file, p.kind, p.of, err)
		}
	}
}

func readPicture(file string) (image.Image, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

// samePicture compares two pictures. Processors round the edges of letters differently, by a few shades.
func samePicture(got, want image.Image) error {
	const shades = 12
	if got.Bounds() != want.Bounds() {
		return fmt.Errorf("it has the bounds %v, want %v", got.Bounds(), want.Bounds())
	}
	a, b := image.NewGray(got.Bounds()), image.NewGray(want.Bounds())
	draw.Draw(a, a.Rect, got, image.Point{}, draw.Src)
	draw.Draw(b, b.Rect, want, image.Point{}, draw.Src)
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d < -shades || d > shades {
			return fmt.Errorf("pixel %d, %d differs", i%a.Stride, i/a.Stride)
		}
	}
	return nil
}

func TestAnotherDiagramIsAnotherPicture(t *testing.T) {
	const text = "sequenceDiagram\n    participant M as manager\n    participant R as referee\n    M->>R: START_MATCH\n"
	one, err := drawSequence(text)
	other, err2 := drawSequence(text + "    R-->>M: START_MATCH_ACK\n")
	if err != nil || err2 != nil || samePicture(one, other) == nil || samePicture(one, one) != nil {
		t.Errorf("%v, %v; want two pictures that differ", err, err2)
	}
	if _, err := drawSequence(text + "    box of something\n"); err == nil {
		t.Error("a line that is not understood is left out of the picture")
	}
	if _, err := drawFlowchart("flowchart TB\n    a --> b\n"); err == nil {
		t.Error("an arrow without a label is left out of the picture")
	}
}
