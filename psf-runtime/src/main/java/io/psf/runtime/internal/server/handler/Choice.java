package io.psf.runtime.internal.server.handler;

import io.psf.api.Shard;
import io.psf.api.spi.Binding;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A handler that a node has selected for a function, and for the kind of shard that the binding names.
 *
 * @param binding the function and the handler
 * @param handler the handler's class; the function's interface if its default body handles the calls
 * @param isDefault true if the handler is the default body
 * @param origin the jar or folder of the handler; null if it was loaded from neither
 * @param passedOver the function's handlers that were not selected, in the order in which they were tried; empty
 *     except for the function's first choice
 */
public record Choice(
        Binding<?, ?> binding,
        String handler,
        boolean isDefault,
        @Nullable Path origin,
        List<PassedOver> passedOver) {
    /** Returns a choice for a handler that was given instead of found. */
    static Choice given(Binding<?, ?> binding) {
        Class<?> type = binding.handler().getClass();
        return new Choice(binding, type.getName(), false, ClassPath.origin(type), List.of());
    }

    static Choice of(Offer offer, List<PassedOver> passedOver) {
        return new Choice(
                offer.binding(),
                offer.provider().handler(),
                offer.provider().isDefault(),
                ClassPath.origin(offer.provider().getClass()),
                List.copyOf(passedOver));
    }

    /** True if the handler serves every kind of shard, or a node. */
    boolean isUniversal() {
        return binding.shard() == Shard.class;
    }

    /** Returns the handlers that were passed over, for the log; empty if there are none. */
    String others() {
        return passedOver.isEmpty()
                ? ""
                : passedOver.stream()
                        .map(PassedOver::toString)
                        .collect(Collectors.joining(", ", "; passed over: ", ""));
    }

    /** Returns the handler and the kind of shard that it serves, for messages. */
    String describe() {
        return handler + (isUniversal() ? "" : " for " + binding.shard().getName());
    }
}
