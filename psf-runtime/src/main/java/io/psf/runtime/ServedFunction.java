package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.server.handler.Choice;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.handler.PassedOver;
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
 * @param passedOver the function's other handlers, and why not those
 */
public record ServedFunction(
        FunctionInfo info,
        String handler,
        boolean isDefault,
        @Nullable Path origin,
        List<PassedOver> passedOver) {
    /**
     * What a server would find on a class path, by name.
     *
     * @throws PsException with {@code CONFIGURATION} as at a server's start: if a handler cannot be made, or a function
     *     has none that is available, or two of the same preference that are
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
