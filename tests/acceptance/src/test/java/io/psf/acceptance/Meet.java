package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Waits for as many requests as are expected, keeps all of them until then, and answers the sum of all of their
 * elements.
 */
@PsFunction("acceptance.meet")
interface Meet {
    record Request(TensorId tensor, int expected, @ByRange FloatArray x) {}

    record Response(@Reduce(SUM) double sum) {}

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Kept kept = shard.attachment(Kept.class, Kept::new);
        CompletableFuture<Response> answer = new CompletableFuture<>();
        kept.arrays.add(slice.x());
        kept.answers.add(answer);
        if (kept.arrays.size() == slice.expected()) {
            double sum = 0;
            for (FloatArray each : kept.arrays) {
                for (int i = 0; i < each.length(); i++) {
                    sum += each.get(i);
                }
            }
            kept.arrays.clear();
            for (CompletableFuture<Response> each : List.copyOf(kept.answers)) {
                each.complete(new Response(sum));
            }
            kept.answers.clear();
        }
        return answer;
    }

    /** The calls that wait at a shard. */
    final class Kept {
        private final List<FloatArray> arrays = new ArrayList<>();
        private final List<CompletableFuture<Response>> answers = new ArrayList<>();
    }
}
