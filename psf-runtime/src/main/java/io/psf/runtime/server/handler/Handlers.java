package io.psf.runtime.server.handler;

import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The functions that a node has, by the number of their name. Immutable once it is in use. */
public final class Handlers {
    private static final Logger LOG = LoggerFactory.getLogger(Handlers.class);

    private final Map<Integer, Choice> byId = new HashMap<>();
    /** The functions by the numbers of all their names, former ones among them. */
    private final Map<Integer, FunctionInfo> named = new HashMap<>();
    /** The functions as peers know them that call them by a former name, by its number. */
    private final Map<Integer, FunctionInfo> former = new HashMap<>();

    private final String searched;

    private Handlers(String searched) {
        this.searched = searched;
    }

    /**
     * Every handler on a class path.
     *
     * @throws PsException with {@code CONFIGURATION} if one cannot be made, or a function has none that is
     *     available, or two of the same preference that are, or if two functions have a name in common, be it a former one
     */
    public static Handlers found(ClassLoader classPath) {
        Handlers handlers = new Handlers(ClassPath.searched(classPath));
        new Providers(classPath).byFunction().forEach((id, candidates) -> handlers.put(Choice.among(candidates)));
        return handlers;
    }

    /** Adds a handler, in the place of one that was found before it. */
    public Handlers with(Binding<?, ?> binding) {
        put(Choice.given(binding));
        return this;
    }

    private void put(Choice choice) {
        FunctionInfo info = choice.binding().function().info();
        claim(info.id(), info);
        for (String name : info.formerly()) {
            FunctionInfo before = info.as(name);
            claim(before.id(), info);
            former.put(before.id(), before);
        }
        byId.put(info.id(), choice);
    }

    private void claim(int number, FunctionInfo info) {
        FunctionInfo there = named.putIfAbsent(number, info);
        if (there != null) {
            requireSameName(there, info);
        }
    }

    static void requireSameName(FunctionInfo one, FunctionInfo other) {
        if (!one.name().equals(other.name())) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "functions " + names(one) + " and " + names(other)
                            + ": the same number on the wire (expected: other numbers; rename one of them)");
        }
    }

    private static String names(FunctionInfo info) {
        return "\"" + info.name() + "\""
                + (info.formerly().isEmpty()
                        ? ""
                        : info.formerly().stream().collect(Collectors.joining("\", \"", " (formerly \"", "\")")));
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
        if (choice == null) {
            FunctionInfo renamed = named.get(id);
            choice = renamed == null ? null : byId.get(renamed.id());
        }
        return choice == null ? null : choice.binding();
    }

    /** A function as a peer knows it that calls it by a number: that of its name, or of a former one. */
    FunctionInfo as(int id, FunctionInfo info) {
        return info.id() == id ? info : former.getOrDefault(id, info);
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
