package io.psf.builtin.tensor;

import io.psf.api.PsInitializer;
import io.psf.api.PsOptimizer;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.spi.DeclarationCheck;
import io.psf.api.spi.ServiceClassPath;
import io.psf.builtin.internal.named.NamedClasses;
import java.lang.annotation.Annotation;
import org.jspecify.annotations.Nullable;

/**
 * Refuses an optimizer or initializer of psf that does not exist, or does not take its arguments. Those of users need
 * not be on the class path of the scheduler: {@link CheckTensors} asks the servers.
 */
public final class RuleCheck implements DeclarationCheck {
    /** The classes of psf; null before the first declaration. */
    private @Nullable NamedClasses optimizers;

    private @Nullable NamedClasses initializers;

    private static NamedClasses here(@Nullable NamedClasses found, Class<? extends Annotation> kind) {
        return found != null ? found : NamedClasses.on(ServiceClassPath.of(RuleCheck.class), kind);
    }

    /** True if psf has the class of a rule. The memory of a function has no rules. */
    static boolean isOfPsf(Rule rule) {
        return rule.name().startsWith("psf.");
    }

    @Override
    public void require(TensorDeclaration declaration, int slices) {
        if (isOfPsf(declaration.optimizer())) {
            optimizers = here(optimizers, PsOptimizer.class);
            var unused = NamedRules.optimizer(optimizers, declaration.optimizer());
        }
        if (isOfPsf(declaration.initializer())) {
            initializers = here(initializers, PsInitializer.class);
            var unused = NamedRules.generator(initializers, declaration.initializer());
        }
    }
}
