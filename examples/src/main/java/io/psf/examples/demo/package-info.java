/**
 * A wide-and-deep click model whose parameters are on the servers, trained on the Bank Marketing data. The data and the
 * model do not depend on psf. {@code Training} connects the model to psf, {@code DemoWorker} runs it as a process,
 * {@code DemoCommand} starts the processes.
 */
@NullMarked
package io.psf.examples.demo;

import org.jspecify.annotations.NullMarked;
