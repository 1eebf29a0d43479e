package io.psf.api.spi;

import io.psf.api.Shard;
import java.util.concurrent.CompletionStage;

/**
 * A function and its handler on a server. Created by the {@code XPsf} of interface {@code X}.
 *
 * @param function the function
 * @param kind how the handler is called
 * @param shard the kind of shard that the handler serves: its own parameter's type; {@link Shard} for every kind, and
 *     for a handler that takes a node
 * @param handler the user's handler, for logs
 * @param target calls the handler; its type corresponds to the kind
 * @param <Q> the request
 * @param <R> the response
 */
public record Binding<Q, R>(
        Function<Q, R> function, Kind kind, Class<? extends Shard> shard, Object handler, Target<Q, ?, ?> target) {
    /** How a handler is called. */
    public enum Kind {
        /** With a shard; the handler returns the response. */
        SHARD(false),
        /** With a shard; the handler returns a stage of the response. */
        SHARD_LATER(true),
        /** With a node; the handler returns the response. */
        NODE(false),
        /** With a node; the handler returns a stage of the response. */
        NODE_LATER(true);

        private final boolean later;

        Kind(boolean later) {
            this.later = later;
        }

        /** True if the handler returns a stage of the response. */
        public boolean later() {
            return later;
        }
    }

    /** Calls a handler. */
    @FunctionalInterface
    public interface Target<Q, P, A> {
        /**
         * Calls the handler.
         *
         * @throws Exception if the handler throws it
         */
        A handle(Q request, P place) throws Exception;
    }

    /** Returns the binding of a handler that takes a shard of any kind and returns the response. */
    public static <Q, R> Binding<Q, R> shard(Function<Q, R> function, Object handler, Target<Q, Shard, R> target) {
        return shard(function, Shard.class, handler, target);
    }

    /** Returns the binding of a handler that takes a shard of one kind and returns the response. */
    public static <Q, R, S extends Shard> Binding<Q, R> shard(
            Function<Q, R> function, Class<S> shard, Object handler, Target<Q, S, R> target) {
        return new Binding<>(function, Kind.SHARD, shard, handler, target);
    }

    /** Returns the binding of a handler that takes a shard of any kind and returns a stage of the response. */
    public static <Q, R> Binding<Q, R> shardLater(
            Function<Q, R> function, Object handler, Target<Q, Shard, ? extends CompletionStage<R>> target) {
        return shardLater(function, Shard.class, handler, target);
    }

    /** Returns the binding of a handler that takes a shard of one kind and returns a stage of the response. */
    public static <Q, R, S extends Shard> Binding<Q, R> shardLater(
            Function<Q, R> function,
            Class<S> shard,
            Object handler,
            Target<Q, S, ? extends CompletionStage<R>> target) {
        return new Binding<>(function, Kind.SHARD_LATER, shard, handler, target);
    }

    /** Returns the binding of a handler that takes a node and returns the response. */
    public static <Q, R> Binding<Q, R> node(
            Function<Q, R> function, Object handler, Target<Q, ? super StoredNode, R> target) {
        return new Binding<>(function, Kind.NODE, Shard.class, handler, target);
    }

    /** Returns the binding of a handler that takes a node and returns a stage of the response. */
    public static <Q, R> Binding<Q, R> nodeLater(
            Function<Q, R> function,
            Object handler,
            Target<Q, ? super StoredNode, ? extends CompletionStage<R>> target) {
        return new Binding<>(function, Kind.NODE_LATER, Shard.class, handler, target);
    }

    /**
     * Calls the handler. An exception that the handler throws is thrown unchanged, checked or not.
     *
     * @param place the shard, which is of the kind that the handler serves, or the node
     * @return the response, or a stage of the response if the kind is later
     */
    @SuppressWarnings("unchecked") // the factories above create matching kinds and targets
    public Object handle(Q request, Object place) {
        try {
            return ((Target<Q, Object, Object>) target).handle(request, place);
        } catch (Exception e) {
            Binding.<RuntimeException>rethrow(e);
            throw new AssertionError("not reached", e);
        }
    }

    /** Throws a checked exception through the interceptors, whose signatures declare none. */
    @SuppressWarnings("unchecked") // E is erased: no cast takes place
    private static <E extends Exception> void rethrow(Exception e) throws E {
        throw (E) e;
    }
}
