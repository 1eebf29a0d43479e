package io.psf.runtime.internal.server.handler;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.HandlerProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of one function on a node. A shard's calls are handled by the first of them, in the order of preference,
 * that serves the kind of the shard. Thread-safe.
 */
public final class Choices {
    /** In the order of preference; none covers a kind of shard that an earlier one covers. */
    private final List<Choice> inOrder;

    /** The binding that serves every kind of shard, or a node, if it is the first; null if the kind decides. */
    private final @Nullable Binding<?, ?> only;

    private final boolean isOnShards;
    private final FunctionInfo function;
    private final Map<Class<?>, Binding<?, ?>> byKind = new ConcurrentHashMap<>();

    private Choices(List<Choice> inOrder) {
        this.inOrder = List.copyOf(inOrder);
        Choice first = inOrder.get(0);
        this.only = first.isUniversal() ? first.binding() : null;
        this.function = first.binding().function().info();
        Binding.Kind kind = first.binding().kind();
        this.isOnShards = kind == Binding.Kind.SHARD || kind == Binding.Kind.SHARD_LATER;
    }

    static Choices of(Choice given) {
        return new Choices(List.of(given));
    }

    /**
     * Selects the handlers of a function. Tries the candidates in order of preference, as far as a handler that serves
     * every kind of shard.
     *
     * @param candidates at least one
     * @throws PsException with {@code CONFIGURATION} if none is available, if two of the same preference are available
     *     for the same kind of shard, or if creating one fails
     */
    static Choices among(List<HandlerProvider> candidates) {
        List<Offer> chosen = new ArrayList<>();
        List<PassedOver> passedOver = new ArrayList<>();
        for (HandlerProvider each : candidates.stream().sorted(Offer.FIRST).toList()) {
            Offer before = chosen.isEmpty() ? null : chosen.get(chosen.size() - 1);
            if (before != null && before.isUniversal() && before.precedes(each)) {
                passedOver.add(PassedOver.of(each, below(before, each)));
                continue;
            }
            try {
                add(chosen, Offer.of(each), passedOver);
            } catch (Offer.Unavailable e) {
                passedOver.add(PassedOver.of(each, e.why()));
            }
        }
        if (chosen.isEmpty()) {
            throw none(candidates.get(0), passedOver);
        }
        List<Choice> inOrder = new ArrayList<>();
        for (Offer offer : chosen) {
            inOrder.add(Choice.of(offer, inOrder.isEmpty() ? passedOver : List.of()));
        }
        return new Choices(inOrder);
    }

    private static void add(List<Offer> chosen, Offer offer, List<PassedOver> passedOver) {
        for (Offer before : chosen) {
            if (before.precedes(offer.provider())) {
                if (before.covers(offer)) {
                    passedOver.add(PassedOver.of(offer.provider(), below(before, offer.provider())));
                    return;
                }
            } else if (before.covers(offer) || offer.covers(before)) {
                if (offer.provider().isDefault()) {
                    return;
                }
                throw two(before.provider(), offer.provider());
            }
        }
        chosen.add(offer);
    }

    private static String below(Offer chosen, HandlerProvider other) {
        return other.isDefault()
                ? "a default body"
                : "preference " + other.preference() + ", below "
                        + chosen.provider().preference();
    }

    private static PsException two(HandlerProvider one, HandlerProvider other) {
        return new PsException(
                PsException.Code.CONFIGURATION,
                "handlers of \"" + one.function().info().name() + "\": " + Offer.describe(one) + " and "
                        + Offer.describe(other) + ", both of preference " + one.preference()
                        + " (expected: one, or different preferences)");
    }

    private static PsException none(HandlerProvider any, List<PassedOver> passedOver) {
        return new PsException(
                PsException.Code.CONFIGURATION,
                "handlers of \"" + any.function().info().name() + "\": "
                        + passedOver.stream().map(PassedOver::toString).collect(Collectors.joining(", "))
                        + " (expected: one that is available on this node)");
    }

    /** Returns these handlers after a given one, which replaces handlers that serve only kinds that it serves. */
    Choices with(Choice given) {
        List<Choice> now = new ArrayList<>(List.of(given));
        for (Choice each : inOrder) {
            if (!given.binding().shard().isAssignableFrom(each.binding().shard())) {
                now.add(each);
            }
        }
        return new Choices(now);
    }

    /** Returns the function. */
    public FunctionInfo function() {
        return function;
    }

    /** True if the handlers take a shard; false if they take a node. */
    public boolean isOnShards() {
        return isOnShards;
    }

    /** Returns the function with the handler that is tried first. */
    public Binding<?, ?> first() {
        return inOrder.get(0).binding();
    }

    /**
     * Returns the function with the handler that serves a kind of shard.
     *
     * @param kind the class of the shard
     * @throws PsException with {@code UNKNOWN_FUNCTION} if no handler serves it
     */
    public Binding<?, ?> of(Class<? extends Shard> kind) {
        Binding<?, ?> any = only;
        if (any != null) {
            return any;
        }
        Binding<?, ?> known = byKind.get(kind);
        return known != null ? known : byKind.computeIfAbsent(kind, k -> select(kind));
    }

    private Binding<?, ?> select(Class<? extends Shard> kind) {
        for (Choice each : inOrder) {
            if (each.binding().shard().isAssignableFrom(kind)) {
                return each.binding();
            }
        }
        throw new PsException(
                PsException.Code.UNKNOWN_FUNCTION,
                "handler of \"" + function().name() + "\" for shards of " + kind.getName()
                        + ": none (expected: one that serves this kind of shard; this node has "
                        + inOrder.stream().map(Choice::describe).collect(Collectors.joining(", ")) + ")");
    }

    /**
     * Returns the function and a handler for each line of the log; empty if the function has one handler.
     *
     * @param has true for a kind of shard that handlers serve if the node has shards of it
     */
    List<String> describe(Predicate<Class<? extends Shard>> has) {
        List<Choice> described = inOrder.stream()
                .filter(choice -> has.test(choice.binding().shard()))
                .toList();
        if (described.size() == 1 && described.get(0).passedOver().isEmpty()) {
            return List.of();
        }
        return described.stream()
                .map(choice -> function.name() + ": " + choice.describe() + choice.others())
                .toList();
    }

    /** Returns the handlers, in the order in which they are tried. */
    List<Choice> inOrder() {
        return inOrder;
    }
}
