package io.psf.runtime.server.handler;

import io.psf.api.Available;
import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.HandlerProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The handler that a node selects among those on its class path for a function: the available one of the highest
 * preference; a default body if there is no other.
 *
 * @param binding the function and the handler
 * @param handler the handler's class; the function's interface if its default body handles the calls
 * @param isDefault true if the handler is the default body
 * @param origin the jar or folder of the handler; null if it was loaded from neither
 * @param passedOver the other handlers, those that were tried first at the front
 */
public record Choice(
        Binding<?, ?> binding,
        String handler,
        boolean isDefault,
        @Nullable Path origin,
        List<PassedOver> passedOver) {
    private static final Comparator<HandlerProvider> FIRST = Comparator.comparing(HandlerProvider::isDefault)
            .thenComparing(HandlerProvider::preference, Comparator.reverseOrder());

    /** Returns a choice for a handler that was given instead of found. */
    static Choice given(Binding<?, ?> binding) {
        Class<?> type = binding.handler().getClass();
        return new Choice(binding, type.getName(), false, ClassPath.origin(type), List.of());
    }

    /**
     * Selects a handler of a function. Tries the candidates in order of preference.
     *
     * @param candidates at least one
     * @throws PsException with {@code CONFIGURATION} if none is available, if two of the same preference are available,
     *     or if creating one fails
     */
    static Choice among(List<HandlerProvider> candidates) {
        HandlerProvider chosen = null;
        Binding<?, ?> binding = null;
        List<PassedOver> passedOver = new ArrayList<>();
        for (HandlerProvider each : candidates.stream().sorted(FIRST).toList()) {
            if (chosen != null && FIRST.compare(chosen, each) < 0) {
                passedOver.add(PassedOver.of(each, below(chosen, each)));
                continue;
            }
            Offer offer = Offer.of(each);
            if (offer.binding == null) {
                passedOver.add(PassedOver.of(each, offer.unavailable));
            } else if (chosen == null) {
                chosen = each;
                binding = offer.binding;
            } else if (!each.isDefault()) {
                throw two(chosen, each);
            }
        }
        if (chosen == null || binding == null) {
            throw none(candidates.get(0), passedOver);
        }
        return new Choice(
                binding, chosen.handler(), chosen.isDefault(), ClassPath.origin(chosen.getClass()), passedOver);
    }

    private static String below(HandlerProvider chosen, HandlerProvider other) {
        return other.isDefault()
                ? "a default body"
                : "preference " + other.preference() + ", below " + chosen.preference();
    }

    private static PsException two(HandlerProvider one, HandlerProvider other) {
        return new PsException(
                PsException.Code.CONFIGURATION,
                "handlers of \"" + one.function().info().name() + "\": " + describe(one) + " and " + describe(other)
                        + ", both of preference " + one.preference() + " (expected: one, or different preferences)");
    }

    private static PsException none(HandlerProvider any, List<PassedOver> passedOver) {
        return new PsException(
                PsException.Code.CONFIGURATION,
                "handlers of \"" + any.function().info().name() + "\": "
                        + String.join(
                                ", ",
                                passedOver.stream().map(PassedOver::toString).toList())
                        + " (expected: one that is available on this node)");
    }

    private static String describe(HandlerProvider provider) {
        Path origin = ClassPath.origin(provider.getClass());
        return provider.handler() + (origin == null ? "" : " in " + ClassPath.name(origin));
    }

    /** A handler that has been created and is available, or the reason why there is none. */
    private static final class Offer {
        final @Nullable Binding<?, ?> binding;
        final String unavailable;

        private Offer(@Nullable Binding<?, ?> binding, String unavailable) {
            this.binding = binding;
            this.unavailable = unavailable;
        }

        static Offer of(HandlerProvider provider) {
            try {
                Binding<?, ?> binding = provider.binding();
                Optional<String> unavailable =
                        binding.handler() instanceof Available handler ? handler.unavailable() : Optional.empty();
                return unavailable.map(why -> new Offer(null, why)).orElseGet(() -> new Offer(binding, ""));
            } catch (LinkageError e) {
                return new Offer(null, "cannot be loaded, " + Providers.cause(e));
            } catch (RuntimeException e) {
                throw new PsException(
                        PsException.Code.CONFIGURATION,
                        "handler: " + describe(provider) + ": making it threw " + e
                                + " (expected: a handler whose constructor succeeds on this node)",
                        e);
            }
        }
    }
}
