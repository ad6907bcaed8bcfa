"""A llama.cpp server with one model, until standard input ends. Run by the interpreter of the cache's environment."""

import sys

import xllamacpp


def main():
    weights, window = sys.argv[1], int(sys.argv[2])
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx = window
    params.n_parallel = 1
    params.n_predict = 2048
    params.use_jinja = True
    params.sampling.temp = 0.0
    params.sampling.seed = 7
    params.hostnames = ["127.0.0.1"]
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
