/** A small convolutional network on MNIST, trained in synchronous rounds or asynchronously. */
@NullMarked
package io.psf.examples.convnet;

import org.jspecify.annotations.NullMarked;
