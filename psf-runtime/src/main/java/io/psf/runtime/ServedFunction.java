package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.server.handler.Choice;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.handler.PassedOver;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function that a server with a given class path serves.
 *
 * @param info its name, place and schema
 * @param handler the class that handles it; the function's interface if its default body does
 * @param isDefault true if the handler is the default body
 * @param origin the jar or folder of the handler; null if it was loaded from neither
 * @param passedOver the function's other handlers, each with the reason why it was not chosen
 */
public record ServedFunction(
        FunctionInfo info,
        String handler,
        boolean isDefault,
        @Nullable Path origin,
        List<PassedOver> passedOver) {
    /**
     * Returns the functions that a server would find on a class path, sorted by name.
     *
     * @throws PsException with {@code CONFIGURATION} as at a server's start: if a handler cannot be created, or a
     *     function has no available handler, or has two available handlers of the same preference
     */
    public static List<ServedFunction> on(ClassLoader classPath) {
        return Handlers.found(classPath).all().stream()
                .map(ServedFunction::of)
                .sorted(Comparator.comparing(function -> function.info().name()))
                .toList();
    }

    private static ServedFunction of(Choice choice) {
        return new ServedFunction(
                choice.binding().function().info(),
                choice.handler(),
                choice.isDefault(),
                choice.origin(),
                choice.passedOver());
    }
}
