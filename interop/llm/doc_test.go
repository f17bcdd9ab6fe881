// Package llm_test has the strategy llm play with a model's server of another make: that of llama.cpp, from the Python
// package that requirements.txt names, with a tiny random model that testdata/llama.py writes.
package llm_test
