package io.psf.runtime.internal.server.handler;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The functions of a node, by the number of their name. Immutable once in use. */
public final class Handlers {
    private static final Logger LOG = LoggerFactory.getLogger(Handlers.class);

    private final Map<Integer, Choices> byId = new HashMap<>();
    /** The functions by the numbers of all their names, including former ones. */
    private final Map<Integer, FunctionInfo> named = new HashMap<>();
    /** The functions under their former names, as older peers know them, by the number of the former name. */
    private final Map<Integer, FunctionInfo> former = new HashMap<>();

    private final String searched;

    private Handlers(String searched) {
        this.searched = searched;
    }

    /**
     * Returns the selected handlers on a class path.
     *
     * @throws PsException with {@code CONFIGURATION} if a handler cannot be created, if a function has no available
     *     handler, or has two available handlers of the same preference, or if two functions share a name, current or
     *     former
     */
    public static Handlers found(ClassLoader classPath) {
        Handlers handlers = new Handlers(ClassPath.searched(classPath));
        new Providers(classPath).byFunction().forEach((id, candidates) -> handlers.put(Choices.among(candidates)));
        return handlers;
    }

    /** Adds a handler; it replaces handlers that were found before for the kind of shard that it serves. */
    public Handlers with(Binding<?, ?> binding) {
        Choice given = Choice.given(binding);
        Choices there = byId.get(binding.function().info().id());
        put(there == null ? Choices.of(given) : there.with(given));
        return this;
    }

    private void put(Choices choices) {
        FunctionInfo info = choices.function();
        claim(info.id(), info);
        for (String name : info.formerly()) {
            FunctionInfo before = info.as(name);
            claim(before.id(), info);
            former.put(before.id(), before);
        }
        byId.put(info.id(), choices);
    }

    private void claim(int number, FunctionInfo info) {
        FunctionInfo there = named.putIfAbsent(number, info);
        if (there != null) {
            Providers.requireSameName(there, info);
        }
    }

    /**
     * Logs the selected handlers of each function that has several, with the kind of shard if a handler serves one kind
     * alone, and the other handlers.
     *
     * @param has true for a kind of shard that handlers serve if this node has shards of it
     */
    public void logChoices(Predicate<Class<? extends Shard>> has) {
        byId.values().stream()
                .flatMap(choices -> choices.describe(has).stream())
                .forEach(line -> LOG.info("handler of {}", line));
    }

    /** Returns the handlers of a function, by the number of its name; null if this node does not have the function. */
    @Nullable
    public Choices get(int id) {
        Choices choices = byId.get(id);
        if (choices == null) {
            FunctionInfo renamed = named.get(id);
            choices = renamed == null ? null : byId.get(renamed.id());
        }
        return choices;
    }

    /**
     * Returns a function as known to a peer that calls it by a number: the number of its current name, or of a former
     * one.
     */
    public FunctionInfo as(int id, FunctionInfo info) {
        return info.id() == id ? info : former.getOrDefault(id, info);
    }

    /** Returns the jars and folders that were searched for handlers, at most 10 of them by name. */
    public String searched() {
        return searched;
    }

    /**
     * Returns every function once for each of its handlers, the handlers of one function in the order of preference.
     */
    public Collection<Choice> all() {
        return byId.values().stream()
                .flatMap(choices -> choices.inOrder().stream())
                .toList();
    }

    /** Returns every function. */
    public Collection<FunctionInfo> functions() {
        return byId.values().stream().map(Choices::function).toList();
    }
}
