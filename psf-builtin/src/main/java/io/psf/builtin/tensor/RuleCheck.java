package io.psf.builtin.tensor;

import io.psf.api.PsInitializer;
import io.psf.api.PsOptimizer;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.spi.DeclarationCheck;
import io.psf.api.spi.ServiceClassPath;
import io.psf.builtin.named.NamedClasses;
import java.lang.annotation.Annotation;

/**
 * Refuses an optimizer or initializer of psf that does not exist, or does not take its arguments. Those of users need not be
 * on the class path of the scheduler: {@link CheckTensors} asks the servers.
 */
public final class RuleCheck implements DeclarationCheck {
    private final NamedClasses optimizers = here(PsOptimizer.class);
    private final NamedClasses initializers = here(PsInitializer.class);

    private static NamedClasses here(Class<? extends Annotation> kind) {
        return NamedClasses.on(ServiceClassPath.of(RuleCheck.class), kind);
    }

    /** True if psf has the class of a rule. The memory of a function has no rules. */
    static boolean isOfPsf(Rule rule) {
        return rule.name().startsWith("psf.");
    }

    @Override
    public void require(TensorDeclaration declaration, int slices) {
        if (isOfPsf(declaration.optimizer())) {
            var unused = NamedRules.optimizer(optimizers, declaration.optimizer());
        }
        if (isOfPsf(declaration.initializer())) {
            var unused = NamedRules.generator(initializers, declaration.initializer());
        }
    }
}
