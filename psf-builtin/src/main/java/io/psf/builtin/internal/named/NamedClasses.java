package io.psf.builtin.internal.named;

import io.psf.api.PsException;
import io.psf.api.spi.Arguments;
import io.psf.api.spi.NamedProvider;
import io.psf.api.spi.StoredNode;
import java.lang.annotation.Annotation;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;

/** The classes of one annotation that a class path has, by their names. Immutable and thread-safe. */
public final class NamedClasses {
    private final Class<? extends Annotation> kind;
    private final String what;
    private final Map<String, NamedProvider> found;

    private NamedClasses(Class<? extends Annotation> kind, Map<String, NamedProvider> found) {
        this.kind = kind;
        this.what = kind.getSimpleName().substring("Ps".length()).toLowerCase(Locale.ROOT);
        this.found = found;
    }

    /** Returns the classes of a node's class path, which is searched once. Runs on the node's lane. */
    public static NamedClasses of(StoredNode node, Class<? extends Annotation> kind) {
        return node.attachment(
                "psf.named." + kind.getSimpleName(), NamedClasses.class, () -> on(node.classPath(), kind));
    }

    /**
     * Returns the classes of a class path.
     *
     * @throws PsException with {@code CONFIGURATION} if a provider cannot be loaded, or two have the same name
     */
    public static NamedClasses on(ClassLoader classPath, Class<? extends Annotation> kind) {
        Map<String, NamedProvider> found = new TreeMap<>();
        Iterator<NamedProvider> all =
                ServiceLoader.load(NamedProvider.class, classPath).iterator();
        try {
            while (all.hasNext()) {
                NamedProvider each = all.next();
                NamedProvider other = each.kind() == kind ? found.putIfAbsent(each.name(), each) : null;
                if (other != null) {
                    throw new PsException(
                            PsException.Code.CONFIGURATION,
                            "name \"" + each.name() + "\": used by "
                                    + other.getClass().getName() + " and "
                                    + each.getClass().getName() + " (expected: by one class)");
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "provider of optimizers and initializers: " + e.getMessage()
                            + " (expected: a class that psf-processor wrote; build that jar or folder again)",
                    e);
        }
        return new NamedClasses(kind, found);
    }

    /** Returns a name with its arguments in their order by name, such as {@code psf.sgd(lr=0.1)}. */
    @SafeVarargs
    public static String text(String name, Map<String, String>... arguments) {
        StringJoiner text = new StringJoiner(", ", name + "(", ")");
        for (Map<String, String> each : arguments) {
            new TreeMap<>(each).forEach((argument, value) -> text.add(argument + "=" + value));
        }
        return text.toString();
    }

    /** Returns all names, in order. */
    public Set<String> names() {
        return found.keySet();
    }

    /** Returns the provider of a name; empty if the class path has none. */
    public Optional<NamedProvider> find(String name) {
        return Optional.ofNullable(found.get(name));
    }

    /**
     * Creates an object.
     *
     * @param type the expected type of the object
     * @throws IllegalArgumentException if the class path has no class of the name, or an argument is invalid
     * @throws PsException with {@code CONFIGURATION} if the class cannot be loaded
     */
    public <T> T create(Class<T> type, String name, Map<String, String> arguments) {
        NamedProvider provider = find(name)
                .orElseThrow(() -> new IllegalArgumentException(what + ": \"" + name
                        + "\", which the class path does not have (expected: " + String.join(", ", found.keySet())
                        + ")"));
        try {
            return type.cast(provider.create(Arguments.of(name, arguments, provider.arguments())));
        } catch (IllegalArgumentException | PsException e) {
            throw e;
        } catch (LinkageError | ClassCastException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    what + " \"" + name + "\": " + e + " (expected: a @" + kind.getSimpleName()
                            + " class on the class path, with all classes that it needs)",
                    e);
        } catch (RuntimeException e) {
            throw UserCode.failed(what + " \"" + name + "\", while it was created", provider, e);
        }
    }
}
