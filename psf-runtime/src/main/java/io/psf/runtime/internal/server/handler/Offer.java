package io.psf.runtime.internal.server.handler;

import io.psf.api.Available;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.spi.Binding;
import io.psf.api.spi.HandlerProvider;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;

/** A handler on the class path that has been created, and that is available on this node. */
record Offer(HandlerProvider provider, Binding<?, ?> binding) {
    /** Orders providers: the handler that is tried first comes first; a default body is the last. */
    static final Comparator<HandlerProvider> FIRST = Comparator.comparing(HandlerProvider::isDefault)
            .thenComparing(HandlerProvider::preference, Comparator.reverseOrder());

    /** Why a handler is not available. */
    static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1;

        Unavailable(String why) {
            super(why, null, false, false);
        }

        String why() {
            return String.valueOf(getMessage());
        }
    }

    /**
     * Creates a handler.
     *
     * @throws Unavailable if it cannot run on this node
     * @throws PsException with {@code CONFIGURATION} if its constructor fails
     */
    static Offer of(HandlerProvider provider) throws Unavailable {
        Binding<?, ?> binding;
        Optional<String> unavailable;
        try {
            binding = provider.binding();
            unavailable = binding.handler() instanceof Available handler ? handler.unavailable() : Optional.empty();
        } catch (LinkageError e) {
            throw new Unavailable("cannot be loaded, " + Providers.cause(e));
        } catch (RuntimeException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "handler: " + describe(provider) + ": making it threw " + e
                            + " (expected: a handler whose constructor succeeds on this node)",
                    e);
        }
        if (unavailable.isPresent()) {
            throw new Unavailable(unavailable.get());
        }
        return new Offer(provider, binding);
    }

    /** Returns a handler's class and origin, for messages. */
    static String describe(HandlerProvider provider) {
        Path origin = ClassPath.origin(provider.getClass());
        return provider.handler() + (origin == null ? "" : " in " + ClassPath.name(origin));
    }

    /** True if this handler serves every kind of shard. */
    boolean isUniversal() {
        return binding.shard() == Shard.class;
    }

    /** True if this handler serves every kind of shard that the other one serves. */
    boolean covers(Offer other) {
        return binding.shard().isAssignableFrom(other.binding.shard());
    }

    /** True if the handler is tried before a provider's handler. */
    boolean precedes(HandlerProvider other) {
        return FIRST.compare(provider, other) < 0;
    }
}
