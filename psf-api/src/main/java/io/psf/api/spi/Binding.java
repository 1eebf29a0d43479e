package io.psf.api.spi;

import io.psf.api.Node;
import io.psf.api.Shard;
import java.util.concurrent.CompletionStage;

/**
 * A function and what handles it on a server. Made by the {@code XPsf} of interface {@code X}.
 *
 * @param function the function
 * @param kind how the handler is called
 * @param handler the user's handler, for logs
 * @param target the call of the handler, of the type that the kind says
 * @param <Q> the request
 * @param <R> the response
 */
public record Binding<Q, R>(Function<Q, R> function, Kind kind, Object handler, Target<Q, ?, ?> target) {
    /** How a handler is called. */
    public enum Kind {
        /** With a shard; it answers at once. */
        SHARD(false),
        /** With a shard; it answers later. */
        SHARD_LATER(true),
        /** With a node; it answers at once. */
        NODE(false),
        /** With a node; it answers later. */
        NODE_LATER(true);

        private final boolean later;

        Kind(boolean later) {
            this.later = later;
        }

        /** Whether the handler answers with a stage. */
        public boolean later() {
            return later;
        }
    }

    /** The call of a handler. */
    @FunctionalInterface
    public interface Target<Q, P, A> {
        /**
         * Calls the handler.
         *
         * @throws Exception what the handler throws
         */
        A handle(Q request, P place) throws Exception;
    }

    /** A handler that is given a shard and answers at once. */
    public static <Q, R> Binding<Q, R> shard(Function<Q, R> function, Object handler, Target<Q, Shard, R> target) {
        return new Binding<>(function, Kind.SHARD, handler, target);
    }

    /** A handler that is given a shard and answers later. */
    public static <Q, R> Binding<Q, R> shardLater(
            Function<Q, R> function, Object handler, Target<Q, Shard, ? extends CompletionStage<R>> target) {
        return new Binding<>(function, Kind.SHARD_LATER, handler, target);
    }

    /** A handler that is given a node and answers at once. */
    public static <Q, R> Binding<Q, R> node(Function<Q, R> function, Object handler, Target<Q, Node, R> target) {
        return new Binding<>(function, Kind.NODE, handler, target);
    }

    /** A handler that is given a node and answers later. */
    public static <Q, R> Binding<Q, R> nodeLater(
            Function<Q, R> function, Object handler, Target<Q, Node, ? extends CompletionStage<R>> target) {
        return new Binding<>(function, Kind.NODE_LATER, handler, target);
    }

    /**
     * Calls the handler. What it throws is thrown as it is, checked or not.
     *
     * @param place the shard or the node
     * @return the response, or a stage of it if the kind says later
     */
    @SuppressWarnings("unchecked") // the factories above pair kind and target
    public Object handle(Q request, Object place) {
        try {
            return ((Target<Q, Object, Object>) target).handle(request, place);
        } catch (Exception e) {
            Binding.<RuntimeException>rethrow(e);
            throw new AssertionError("not reached", e);
        }
    }

    /** Throws a checked exception through the interceptors, whose signature has none. */
    @SuppressWarnings("unchecked") // erased: nothing is cast
    private static <E extends Exception> void rethrow(Exception e) throws E {
        throw (E) e;
    }
}
