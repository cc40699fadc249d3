// SPDX-License-Identifier: GPL-2.0-only
/* Estimates what a setting changed: the difference of two means. A line that is fitted through the
 * runs corrects a drift (measure.md, "try"). */
#include "measure/trial.h"

#include <errno.h>
#include <math.h>

/* Figures that differ by less are equal: rounded logarithms can differ so much. */
#define NOTHING 1e-12

/* Student's distribution. */

/* The continued fraction of the incomplete beta function (Lentz's algorithm), for x at most
 * (a + 1) / (a + b + 2), where it converges fast. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), fraction;

	d = 1 / d;
	fraction = d;
	for (int m = 1; m <= 1000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		fraction *= d * c;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		step = d * c;
		fraction *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return fraction;
}

/* The regularized incomplete beta function. */
static double incomplete_beta(double a, double b, double x)
{
	double factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x > (a + 1) / (a + b + 2))
		return 1 - factor * beta_fraction(b, a, 1 - x) / b;
	return factor * beta_fraction(a, b, x) / a;
}

/* The probability that the absolute value exceeds limit > 0. */
static double student_probability(double limit, double v)
{
	return incomplete_beta(v / 2, 0.5, v / (v + limit * limit));
}

/* The density of the distribution. */
static double student_density(double limit, double v)
{
	return exp(lgamma((v + 1) / 2) - lgamma(v / 2) - (v + 1) / 2 * log1p(limit * limit / v)) /
	       sqrt(v * M_PI);
}

/* Newton's method approaches the limit from below, because the probability is convex there. It
 * begins below the limit of the normal distribution, which is below that of each v. */
double trial_student_limit(double v)
{
	double limit = 1.95, step;

	do {
		step = (student_probability(limit, v) - 0.05) / (2 * student_density(limit, v));
		limit += step;
	} while (step > 1e-9 * limit);
	return limit;
}

/* Estimates. */

static bool are_figures(const double *figures, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(figures[i]) || figures[i] <= 0)
			return false;
	}
	return true;
}

/* Completes a trial whose means are known. beta is the change as a logarithm. reach is half of the
 * interval, also as a logarithm. */
static void check(struct trial *trial, double beta, double reach)
{
	trial->has_interval = true;
	trial->low = expm1(beta - reach);
	trial->high = expm1(beta + reach);
	if (fabs(beta) <= fmax(reach, NOTHING))
		trial->verdict = TRIAL_NO_DIFFERENCE;
	else
		trial->verdict = beta < 0 ? TRIAL_LESS : TRIAL_MORE;
}

bool trial_is_with(size_t run)
{
	return run % 4 == 1 || run % 4 == 2;
}

/* Parallel lines through the logarithms of both sides: two means and the common slope. */
struct line {
	double mean[2];
	double slope;
	double squares_of_time;
};

static double centred(size_t run, size_t count)
{
	return (double)run - (double)(count - 1) / 2;
}

static struct line fit(const double *figures, size_t count)
{
	struct line line = { .slope = 0 };

	for (size_t i = 0; i < count; i++) {
		double time = centred(i, count), y = log(figures[i]);

		line.mean[trial_is_with(i)] += y / ((double)count / 2);
		line.slope += time * y;
		line.squares_of_time += time * time;
	}
	line.slope /= line.squares_of_time;
	return line;
}

static double residual_of(const struct line *line, const double *figures, size_t run, size_t count)
{
	return log(figures[run]) - line->mean[trial_is_with(run)] -
	       line->slope * centred(run, count);
}

int trial_of_runs(const double *figures, size_t runs, double *residuals, struct trial *ret_trial)
{
	size_t count = 2 * runs;
	double v = (double)count - 3, squares = 0, beta, limit;
	struct trial trial = { .has_interval = false };
	struct line line;

	if (runs < TRIAL_MIN_RUNS || runs % 2 != 0)
		return -EINVAL;
	if (!are_figures(figures, count))
		return -EDOM;
	line = fit(figures, count);
	for (size_t i = 0; i < count; i++)
		squares += pow(residual_of(&line, figures, i, count), 2);
	beta = line.mean[1] - line.mean[0];
	trial.without = exp(line.mean[0]);
	trial.with = exp(line.mean[1]);
	trial.change = expm1(beta);
	trial.deviation = sqrt(squares / v);
	if (trial.deviation <= NOTHING)
		trial.deviation = 0;
	limit = trial_student_limit(v);
	check(&trial, beta, limit * trial.deviation * sqrt(2 / (double)runs));
	trial.drift = expm1(line.slope);
	trial.drifts = fabs(line.slope) >
		       fmax(NOTHING, limit * trial.deviation / sqrt(line.squares_of_time));
	for (size_t i = 0; residuals && i < count; i++)
		residuals[i] = trial.deviation > 0
				       ? residual_of(&line, figures, i, count) / trial.deviation
				       : 0;
	*ret_trial = trial;
	return 0;
}

/* The mean of the logarithms, and the square of its standard error. */
static void moments(const double *figures, size_t count, double *ret_mean, double *ret_error)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		mean += log(figures[i]) / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += pow(log(figures[i]) - mean, 2);
	*ret_mean = mean;
	*ret_error = count > 1 ? squares / (double)(count - 1) / (double)count : 0;
}

int trial_of_files(const double *without, size_t n_without, const double *with, size_t n_with,
		   struct trial *ret_trial)
{
	double mean_without, mean_with, left, right, v = 1;
	struct trial trial = { .has_interval = false };

	if (n_without == 0 || n_with == 0)
		return -EINVAL;
	if (!are_figures(without, n_without) || !are_figures(with, n_with))
		return -EDOM;
	moments(without, n_without, &mean_without, &left);
	moments(with, n_with, &mean_with, &right);
	trial.without = exp(mean_without);
	trial.with = exp(mean_with);
	trial.change = expm1(mean_with - mean_without);
	if (n_without >= TRIAL_MIN_SAVED && n_with >= TRIAL_MIN_SAVED) {
		/* Satterthwaite's degrees of freedom */
		if (left + right > 0)
			v = pow(left + right, 2) / (left * left / (double)(n_without - 1) +
						    right * right / (double)(n_with - 1));
		check(&trial, mean_with - mean_without,
		      trial_student_limit(v) * sqrt(left + right));
	}
	*ret_trial = trial;
	return 0;
}

struct figure trial_percent(bool is_known, double ratio)
{
	const double rounded = round(ratio * 1e6) / 1e4;

	return is_known && isfinite(rounded) ? figure_make_exact(rounded)
					     : figure_make_missing(NULL);
}

const char *trial_word(enum trial_verdict verdict)
{
	static const char *const words[] = {
		[TRIAL_NO_DIFFERENCE] = "no difference",
		[TRIAL_LESS] = "less",
		[TRIAL_MORE] = "more",
	};

	return words[verdict];
}
