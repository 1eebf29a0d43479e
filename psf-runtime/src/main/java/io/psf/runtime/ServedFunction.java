package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.server.ClassPath;
import io.psf.runtime.server.Handlers;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function that a server with some class path has.
 *
 * @param info its name, place and schema
 * @param handler the class that handles it; the interface where its own default body does
 * @param isDefault whether it is the default body
 * @param origin the jar or folder that the handler came from; null if it came from neither
 */
public record ServedFunction(
        FunctionInfo info,
        String handler,
        boolean isDefault,
        @Nullable Path origin) {
    /**
     * What a server would find on a class path, by name.
     *
     * @throws PsException with {@code CONFIGURATION} as at a server's start: if a handler cannot be made, or a function
     *     has two
     */
    public static List<ServedFunction> on(ClassLoader classPath) {
        Handlers handlers = Handlers.found(classPath);
        return handlers.all().stream()
                .map(binding -> of(binding, handlers))
                .sorted(Comparator.comparing(function -> function.info().name()))
                .toList();
    }

    private static ServedFunction of(Binding<?, ?> binding, Handlers handlers) {
        FunctionInfo info = binding.function().info();
        Class<?> type = binding.handler().getClass();
        boolean isDefault = handlers.isDefault(info.id());
        // A default body runs in a class without a name of its own, made of the interface.
        Class<?> named = isDefault && type.isAnonymousClass() && type.getInterfaces().length == 1
                ? type.getInterfaces()[0]
                : type;
        return new ServedFunction(info, named.getName(), isDefault, ClassPath.origin(type));
    }
}
