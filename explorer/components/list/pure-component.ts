/** A part of a list that is rendered again only if one of its properties has changed: a long list has many of them. */
import { Component } from 'preact'

export abstract class PureComponent<Props extends object> extends Component<Props> {
  override shouldComponentUpdate (next: Props): boolean {
    return Object.entries(next).some(([name, value]) => value !== this.props[name as keyof Props])
  }
}
