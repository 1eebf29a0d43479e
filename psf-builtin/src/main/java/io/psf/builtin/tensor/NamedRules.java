package io.psf.builtin.tensor;

import io.psf.api.Optimizer;
import io.psf.api.PsInitializer;
import io.psf.api.PsOptimizer;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.internal.named.BadRequest;
import io.psf.builtin.internal.named.NamedClasses;
import io.psf.builtin.optimizer.NamedOptimizers;

/**
 * The objects that a declaration names.
 *
 * @param optimizer the optimizer
 * @param generator the generator of the initial values
 */
record NamedRules(Optimizer optimizer, Generator generator) {
    /**
     * Creates the rules of a server's class path.
     *
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the class path does not have one, or an argument is
     *     invalid
     */
    static NamedRules of(StoredNode node, TensorDeclaration declaration) {
        return new NamedRules(
                optimizer(NamedClasses.of(node, PsOptimizer.class), declaration.optimizer()),
                generator(NamedClasses.of(node, PsInitializer.class), declaration.initializer()));
    }

    static Optimizer optimizer(NamedClasses classes, Rule rule) {
        return BadRequest.ifIllegal(
                () -> NamedOptimizers.create(classes, rule.name(), rule.arguments(), rule.options()));
    }

    static Generator generator(NamedClasses classes, Rule rule) {
        return BadRequest.ifIllegal(() -> classes.create(Generator.class, rule.name(), rule.arguments()));
    }
}
