package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The functions that a node has, by the number of their name. Immutable once it is in use. */
public final class Handlers {
    private static final Logger LOG = LoggerFactory.getLogger(Handlers.class);

    private final Map<Integer, Choice> byId = new HashMap<>();
    private final String searched;

    private Handlers(String searched) {
        this.searched = searched;
    }

    /**
     * Every handler on a class path.
     *
     * @throws PsException with {@code CONFIGURATION} if one cannot be made, or a function has none that is
     *     available, or two of the same preference that are
     */
    public static Handlers found(ClassLoader classPath) {
        Handlers handlers = new Handlers(ClassPath.searched(classPath));
        new Providers(classPath)
                .byFunction()
                .forEach((id, candidates) -> handlers.byId.put(id, Choice.among(candidates)));
        return handlers;
    }

    /** Adds a handler, in the place of one that was found before it. */
    public Handlers with(Binding<?, ?> binding) {
        FunctionInfo info = binding.function().info();
        Choice there = byId.get(info.id());
        if (there != null) {
            requireSameName(there.binding().function().info(), info);
        }
        byId.put(info.id(), Choice.given(binding));
        return this;
    }

    static void requireSameName(FunctionInfo one, FunctionInfo other) {
        if (!one.name().equals(other.name())) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "functions \"" + one.name() + "\" and \"" + other.name()
                            + "\": the same number on the wire (expected: other numbers; rename one of them)");
        }
    }

    /** Logs which handler a function has, and why not another one, where there was a choice. */
    public void logChoices() {
        byId.values().stream()
                .filter(choice -> !choice.passedOver().isEmpty())
                .forEach(choice -> LOG.info(
                        "handler of {}: {}; passed over: {}",
                        choice.binding().function().info().name(),
                        choice.handler(),
                        String.join(
                                ", ",
                                choice.passedOver().stream()
                                        .map(PassedOver::toString)
                                        .toList())));
    }

    @Nullable
    Binding<?, ?> get(int id) {
        Choice choice = byId.get(id);
        return choice == null ? null : choice.binding();
    }

    /** The jars and folders that were searched for handlers, at most 10 of them by name. */
    public String searched() {
        return searched;
    }

    /** Every function and its handler. */
    public Collection<Choice> all() {
        return byId.values();
    }
}
