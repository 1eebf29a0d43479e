package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.concurrent.CompletionStage;

/** Answers with a stage that the test chooses. */
@PsFunction("acceptance.stages")
interface Stages {
    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) int slices) {}

    CompletionStage<Response> handle(Request slice, Shard shard);
}
