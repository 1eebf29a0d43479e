package io.psf.testkit;

import io.psf.api.PsException;
import io.psf.api.spi.Merge;
import io.psf.api.spi.TupleReader;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The answers of all parts of a call, which are merged once they are complete.
 *
 * @param function the function's name
 * @param tensor the tensor's name; null for none
 */
record TestAnswers<R>(
        Merge<R> merge,
        List<CompletableFuture<TupleReader>> parts,
        String function,
        @Nullable String tensor) {
    CompletableFuture<R> merged() {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).handle((done, failure) -> {
            requireAll();
            try {
                for (int part = 0; part < parts.size(); part++) {
                    merge.add(part, parts.get(part).join());
                }
                return result();
            } catch (PsException e) {
                throw e.at(function, tensor, null, null);
            }
        });
    }

    /** Throws the first failure, with the others suppressed. */
    private void requireAll() {
        PsException first = null;
        for (CompletableFuture<TupleReader> part : parts) {
            if (part.isCompletedExceptionally()) {
                PsException failed = failure(part);
                if (first == null) {
                    first = failed;
                } else {
                    first.addSuppressed(failed);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static PsException failure(CompletableFuture<TupleReader> answer) {
        try {
            answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof PsException failure) {
                return failure;
            }
            throw e;
        }
        throw new IllegalStateException("answer: given (expected: a failure)");
    }

    /** Runs the caller's code, as a worker does. */
    private R result() {
        R result;
        try {
            for (int part = 0; part < parts.size(); part++) {
                merge.decode(part);
            }
            result = merge.result();
        } catch (Throwable e) {
            throw Merge.failed(e);
        }
        if (result == null) {
            throw Merge.failedWithNull();
        }
        return result;
    }
}
