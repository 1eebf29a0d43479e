package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The functions that a node has, by the number of their name. Immutable once it is in use. */
public final class Handlers {
    private final Map<Integer, Binding<?, ?>> byId = new HashMap<>();
    private final Set<Integer> defaults = new HashSet<>();
    private final String searched;

    private Handlers(String searched) {
        this.searched = searched;
    }

    /**
     * Every handler on a class path.
     *
     * @throws PsException with {@code CONFIGURATION} if one cannot be made, or a function has two
     */
    public static Handlers found(ClassLoader classPath) {
        Handlers handlers = new Handlers(ClassPath.searched(classPath));
        new Providers(classPath).each(handlers::add);
        return handlers;
    }

    /** Adds a handler, in the place of one that was found before it. */
    public Handlers with(Binding<?, ?> binding) {
        FunctionInfo info = binding.function().info();
        requireOneName(info);
        byId.put(info.id(), binding);
        defaults.remove(info.id());
        return this;
    }

    private void add(Binding<?, ?> binding, boolean isDefault) {
        FunctionInfo info = binding.function().info();
        requireOneName(info);
        Binding<?, ?> there = byId.get(info.id());
        if (there == null || defaults.contains(info.id()) && !isDefault) {
            byId.put(info.id(), binding);
            if (isDefault) {
                defaults.add(info.id());
            } else {
                defaults.remove(info.id());
            }
        } else if (!isDefault) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "handlers of \"" + info.name() + "\": "
                            + ClassPath.describe(there.handler().getClass()) + " and "
                            + ClassPath.describe(binding.handler().getClass()) + " (expected: one)");
        }
    }

    private void requireOneName(FunctionInfo info) {
        Binding<?, ?> there = byId.get(info.id());
        if (there != null && !there.function().info().name().equals(info.name())) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "functions \"" + there.function().info().name() + "\" and \"" + info.name()
                            + "\": the same number on the wire (expected: other numbers; rename one of them)");
        }
    }

    @Nullable
    Binding<?, ?> get(int id) {
        return byId.get(id);
    }

    /** Whether what answers a function is its own default body. */
    public boolean isDefault(int id) {
        return defaults.contains(id);
    }

    /** The jars and folders that were searched for handlers, at most 10 of them by name. */
    public String searched() {
        return searched;
    }

    /** Every function and its handler. */
    public Collection<Binding<?, ?>> all() {
        return byId.values();
    }
}
