package io.psf.testkit;

import io.psf.api.Pending;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The caller for handlers. Its calls have no worker and no order, and are answered on the lane. */
record OnwardCaller(TestCluster cluster, TestLane lane, TestPrograms programs) implements FunctionCaller {
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        cluster.call(-1, function, request, into)
                .whenComplete((response, failure) -> lane.execute(() -> {
                    if (failure == null) {
                        answer.complete(response);
                    } else {
                        answer.completeExceptionally(
                                failure instanceof CompletionException && failure.getCause() != null
                                        ? failure.getCause()
                                        : failure);
                    }
                }));
        return new TestPending<>(function.info().name(), answer, lane::isRunning, programs, Duration.ZERO);
    }
}
