package io.tenfold.raid.canary;

/** Prints on purpose. */
public final class PrintsALine {
    /** A line on the console. */
    public void print() {
        System.out.println("line");
    }
}
