package io.psf.examples.flink;

import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.jspecify.annotations.Nullable;

/**
 * Scores events: pulls the rows of user and item, and emits their dot product. Each subtask has a client. Its calls are
 * in flight together, up to the capacity of the operator. It changes nothing on the servers, so an event that Flink
 * sends again after a failure is scored again, with the rows of then.
 */
final class Score extends RichAsyncFunction<Event, Scored> {
    private static final long serialVersionUID = 1L;

    private final Embeddings embeddings;
    private transient @Nullable Client client;

    Score(Embeddings embeddings) {
        this.embeddings = embeddings;
    }

    @Override
    public void open(OpenContext context) {
        client = embeddings.connect();
    }

    @Override
    public void asyncInvoke(Event event, ResultFuture<Scored> result) {
        float[] rows = new float[2 * Embeddings.WIDTH]; // filled when the future is complete
        Tensors.pullRows(Objects.requireNonNull(client), Embeddings.TABLE, event.keys(), rows)
                .toCompletableFuture()
                .whenComplete((pulled, failure) -> {
                    if (failure == null) {
                        result.complete(List.of(new Scored(event, dot(rows), rows)));
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
    }

    /** Returns the dot product of two rows. */
    private static float dot(float[] rows) {
        float sum = 0;
        for (int i = 0; i < Embeddings.WIDTH; i++) {
            sum += rows[i] * rows[Embeddings.WIDTH + i];
        }
        return sum;
    }

    @Override
    public void close() {
        Embeddings.disconnect(client);
    }
}
